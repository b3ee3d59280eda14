"""A page's time, in the hands of a test: what comes late does so however busy the machine is, and nothing else does."""


def stopped_clock(page):
    """From now on the page's time passes only as the test says."""
    page.clock.install(time=0)
    page.clock.pause_at(1_000)
    return page.clock

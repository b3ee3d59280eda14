"""Every group of expectations, in the order of their ids."""

from .b1_loading import GROUP as LOADING
from .b2_updates import GROUP as UPDATES
from .b3_pages import GROUP as PAGES
from .b4_looks import GROUP as LOOKS
from .b5_access import GROUP as ACCESS
from .b6_links import GROUP as LINKS
from .b7_network import GROUP as NETWORK

GROUPS = (LOADING, UPDATES, PAGES, LOOKS, ACCESS, LINKS, NETWORK)
EXPECTATIONS = tuple(expectation for group in GROUPS for expectation in group.expectations)
MOST_UNTESTABLE = 3

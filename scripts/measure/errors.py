"""What stops a command: one plain sentence, and the code that it exits with."""

FAILED, WRONG_USE, CANNOT = 1, 2, 3


class RefusalError(Exception):
    """``code`` is 2 for wrong use or bad input, and 3 where this machine cannot do what was asked."""

    def __init__(self, sentence: str, code: int) -> None:
        super().__init__(sentence)
        self.code = code


def wrong(sentence: str) -> RefusalError:
    """The command or its input is wrong."""
    return RefusalError(sentence, WRONG_USE)


def cannot(sentence: str) -> RefusalError:
    """This machine cannot."""
    return RefusalError(sentence, CANNOT)

"""What the server refuses."""


class BadRequestError(Exception):
    """The request cannot be served as it is; answered with status 400."""

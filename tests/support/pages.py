"""Assertions about a page in a browser that wait until they hold."""


def expect(locator):
    """Playwright's assertion: it asks again until the page has done what it was told, or 5 s passed.

    It is imported late, so that a machine without Playwright skips the tests that need a browser
    and runs the others of the same file.
    """
    from playwright.sync_api import expect

    return expect(locator)

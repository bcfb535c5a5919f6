"""Every example has a database of its own, which is not made from the start each time."""

from tests.databases import _copied_databases  # noqa: F401 - for every test of this folder

"""`recollect viz`: the HTTP server on this machine with the dashboard, for one browser session."""

from __future__ import annotations

import webbrowser
from typing import TYPE_CHECKING

from recollect.engine import LOCAL_GRANT
from recollect.surface.cli.doctor import all_checks
from recollect.surface.dashboard.pages import OPEN_PATH, BrowserSession, Dashboard
from recollect.surface.http.application import Application
from recollect.surface.http.listener import bound, serve_until_signal
from recollect.surface.http.request_guard import Limits, names_of
from recollect.surface.mcp.stdio import LazyEngine, log, project_folder

if TYPE_CHECKING:
    from recollect.settings import Settings
    from recollect.surface.cli.output import Output

HOST = "127.0.0.1"


def serve_dashboard(
    settings: Settings, output: Output, *, port: int = 0, no_browser: bool = False, read_only: bool = False
) -> int:
    """Serve the dashboard until Ctrl-C; returns exit code 0."""
    engine = LazyEngine(settings)
    try:
        listening = bound(HOST, port)
        number = listening.getsockname()[1]
        session = BrowserSession(LOCAL_GRANT._replace(scope="read") if read_only else LOCAL_GRANT, number)
        dashboard = Dashboard(session, project_folder(), lambda: all_checks(settings))
        limits = Limits(hosts=names_of(HOST, ()), needs_token=True, max_bytes=settings.http_max_bytes)
        application = Application(engine, limits, toolset=settings.toolset, log=log, browser=dashboard)
        address = f"http://{HOST}:{number}{OPEN_PATH}?t={session.ticket}"
        output.text(f"Dashboard: {address}\nThe address works once. Press Ctrl-C to stop.\n")
        if not no_browser:
            webbrowser.open(address)
        serve_until_signal(application, listening)
    finally:
        engine.close()
    return 0

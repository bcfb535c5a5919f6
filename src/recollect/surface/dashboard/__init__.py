"""The dashboard of `recollect viz`: pages for a browser on this machine, beside the REST API."""

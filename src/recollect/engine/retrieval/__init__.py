"""Search: from a question to ranked hits, packed context and linked memories."""

"""Records of a project's history: from its git log, documents, decision records and comments; pure extraction."""

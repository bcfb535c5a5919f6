"""The graph in memory: nodes, centrality and communities."""

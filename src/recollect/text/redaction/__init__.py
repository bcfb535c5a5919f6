"""What is a secret: by how it looks, by the name it is given, by the place that carries it."""

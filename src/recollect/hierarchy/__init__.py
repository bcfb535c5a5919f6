"""What belongs in the context window now: four levels, from what is edited to what is known of the whole project."""

"""What belongs in the context window now: four levels, from what is being edited to what is known of a whole project."""

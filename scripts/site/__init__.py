"""What the build does beyond Markdown: facts, widgets, questions, generated pages, assets with hashed names."""

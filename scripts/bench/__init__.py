"""What a reader waits for, measured against a stock start of the same Pyodide on the same machine."""

"""How the model is shown: one file a widget, each a list of controls and a function from their values to a view.

Only ``model`` and the standard library are imported; a widget never imports another. ``api.render`` is the one
entry, for the build, the browser and the tests.
"""

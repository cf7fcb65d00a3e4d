"""The designer's studio, `rulestone dev`: a game's table with live reload, and a workbench beside the board."""

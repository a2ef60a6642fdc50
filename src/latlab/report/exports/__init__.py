"""A run or a comparison in the forms that other tools read, one module a form."""

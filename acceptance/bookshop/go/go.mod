module bookshop

go 1.26

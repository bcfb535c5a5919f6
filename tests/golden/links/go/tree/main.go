package main

import "example.com/app/store"

func main() {
	s := store.New("x")
	s.Put(1)
	helper()
}

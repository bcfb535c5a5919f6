package store

type Disk struct{}

func (d *Disk) Write(n int) {}

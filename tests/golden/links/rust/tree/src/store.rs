pub struct Store {
    disk: Disk,
}

pub struct Disk;

impl Disk {
    pub fn write(&self) {}
}

impl Store {
    pub fn new() -> Self { Store { disk: Disk } }
    pub fn put(&self, n: i32) {
        self.check(n);
        self.disk.write();
    }
    fn check(&self, n: i32) {}
}

pub fn open() { Store::new(); }

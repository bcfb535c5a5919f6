use crate::store::Disk;

pub trait Price {
    fn price(&self) -> u32;
}

impl Price for Disk {
    fn price(&self) -> u32 {
        1
    }
}

impl Price for crate::store::Store {
    fn price(&self) -> u32 {
        2
    }
}

pub enum Side {
    Left,
    Right,
}

impl Side {
    pub const ALL: [Side; 2] = [Side::Left, Side::Right];
}

pub fn total(disk: &Disk) -> u32 {
    disk.price()
}

pub fn sides() -> usize {
    Side::ALL.len()
}

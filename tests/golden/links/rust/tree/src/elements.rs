use std::collections::HashMap;

struct Series;

impl Series {
    fn windows(&self) -> u64 { 1 }
    fn doors(&self) -> u64 { 1 }
    fn roofs(&self) -> u64 { 1 }
    fn walls(&self) -> u64 { 1 }
}

struct Archive {
    series: HashMap<String, Series>,
    list: Vec<Series>,
    array: [Series; 3],
}

impl Archive {
    fn tried(&self) -> Option<u64> {
        let series = self.series.get("a")?;
        Some(series.windows())
    }

    fn indexed(&self) -> u64 {
        self.list[0].doors()
    }

    fn unwrapped(&self) -> u64 {
        self.series.get("a").unwrap().roofs()
    }

    fn of_array(&self) -> u64 {
        self.array[0].walls()
    }

    fn counted(&self) -> usize {
        self.list.len()
    }
}

struct Wall;

impl Wall {
    fn len(&self) -> usize { 1 }
}

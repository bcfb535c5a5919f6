function job() {}
const jobs = new Map();
jobs.set("a", job);
jobs.get("a")();
const group = new Set();
group.add(job);
for (const each of group) each();

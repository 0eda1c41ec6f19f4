SELECT p.id, p.name, s.machine, m.name, s.store, s.name FROM projects p
JOIN stores s ON s.org = p.org AND s.project = p.id
JOIN machines m ON m.org = s.org AND m.machine = s.machine
WHERE p.org = $1 ORDER BY p.name, p.id, m.name, s.name

module.exports = { start() {} };

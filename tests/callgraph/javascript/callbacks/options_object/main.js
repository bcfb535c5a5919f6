function ok() {}
function bad() {}
function request({ success, failure = bad }) {
  success();
  failure();
}
request({ success: ok });

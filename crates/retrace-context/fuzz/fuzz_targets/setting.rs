//! Any JSON is a setting or an error with a message; a setting with its defaults filled in is the same setting again.
#![no_main]
use retrace_context::settings::Setting;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(value) = serde_json::from_slice(bytes) else { return };
    match Setting::from_json(&value) {
        Ok(setting) => {
            let full = setting.to_json(None);
            let again = Setting::from_json(&full).expect("a setting with its defaults is one");
            assert_eq!(again.to_json(None), full);
        }
        Err(error) => assert!(!error.message.is_empty()),
    }
});

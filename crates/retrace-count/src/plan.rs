//! Plan of the calls of a run, before anything is sent.

use crate::cache::{Cache, Digest};
use crate::facts;
use crate::request::{CountRequest, Counted};
use retrace_outbound::{BadConfig, Config};
use std::collections::{BTreeSet, HashMap};

/// Plan of a run, shown to the person who decides.
#[derive(Debug)]
pub struct Plan {
    /// Calls that would be made (more where some have to be tried again).
    pub calls: usize,
    /// Requests whose count is in the cache already.
    pub cached: usize,
    /// Requests that equal another of the plan, and are counted with it.
    pub repeated: usize,
    /// Bytes of all calls' bodies: the content that would leave the machine.
    pub bytes: u64,
    /// Bytes of the largest one.
    pub largest: u64,
    /// Where every call goes.
    pub url: String,
    /// The machines that would see the calls: the API's host, with its port.
    pub hosts: Vec<String>,
    /// The proxy on the way, as `host:port`. It sees the host and the amount; the content is encrypted, unless the
    /// address is not https.
    pub proxy: Option<String>,
    /// True if the calls are encrypted.
    pub encrypted: bool,
    /// True if there is a key.
    pub has_key: bool,
    /// The models asked for, in order of their names.
    pub models: Vec<String>,
    /// The values of `anthropic-beta` that would be sent.
    pub betas: Vec<String>,
    pub(crate) steps: Vec<Step>,
}

/// One request of a plan.
#[derive(Debug)]
pub(crate) struct Step {
    pub request: CountRequest,
    pub digest: Digest,
    pub way: Way,
}

/// Source of a request's count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Call,
    Known(Counted),
    /// By the call for an equal request, at this place of the plan.
    With(usize),
}

impl Plan {
    /// Works out what counting these requests would send. Sends nothing, and needs no key.
    pub fn new(config: &Config, requests: Vec<CountRequest>, cache: &Cache) -> Result<Self, BadConfig> {
        let endpoint = config.endpoint()?;
        let proxy = config.proxy_of(&endpoint)?;
        let mut plan = Self {
            calls: 0,
            cached: 0,
            repeated: 0,
            bytes: 0,
            largest: 0,
            hosts: vec![format!("{}:{}", endpoint.host, endpoint.port)],
            url: format!("{}{}", endpoint.base, facts::PATH),
            proxy,
            encrypted: endpoint.secure,
            has_key: config.has_credential(),
            models: Vec::new(),
            betas: Vec::new(),
            steps: Vec::with_capacity(requests.len()),
        };
        let (mut models, mut betas) = (BTreeSet::new(), BTreeSet::new());
        let mut called: HashMap<Digest, usize> = HashMap::new();
        for (at, request) in requests.into_iter().enumerate() {
            let digest = request.digest(&plan.url, &config.version);
            let way = if let Some(counted) = cache.get(&digest) {
                plan.cached += 1;
                Way::Known(counted)
            } else if let Some(earlier) = called.get(&digest) {
                plan.repeated += 1;
                Way::With(*earlier)
            } else {
                let bytes = request.body_bytes();
                plan.calls += 1;
                plan.bytes = plan.bytes.saturating_add(bytes);
                plan.largest = plan.largest.max(bytes);
                models.insert(request.model.clone());
                betas.extend(
                    request.beta_header().iter().flat_map(|value| value.split(',').map(str::to_owned)),
                );
                called.insert(digest, at);
                Way::Call
            };
            plan.steps.push(Step { request, digest, way });
        }
        if plan.calls == 0 {
            plan.hosts.clear();
        }
        plan.models = models.into_iter().collect();
        plan.betas = betas.into_iter().collect();
        Ok(plan)
    }

    /// The body of every call, byte for byte as it would be sent: what to show to somebody who wants to see it all.
    pub fn bodies(&self) -> impl Iterator<Item = Vec<u8>> {
        self.steps.iter().filter(|step| step.way == Way::Call).map(|step| step.request.body())
    }

    /// Number of requests it is about.
    pub fn requests(&self) -> usize {
        self.steps.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retrace_outbound::Proxies;
    use serde_json::json;

    fn request(text: &str) -> CountRequest {
        CountRequest {
            model: "m".into(),
            messages: json!([{"role": "user", "content": text}]),
            ..CountRequest::default()
        }
    }

    #[test]
    fn it_says_what_would_leave_and_where_to() {
        let config = Config {
            proxies: Proxies { https: Some("user:word@proxy.example:3128".into()), ..Proxies::default() },
            ..Config::default()
        };
        let mut cache = Cache::in_memory();
        let known = request("known");
        let digest = known.digest(&format!("{}{}", config.base_url, facts::PATH), &config.version);
        cache.insert(digest, Counted { input_tokens: 1, original_input_tokens: None }).unwrap();

        let edited = CountRequest { betas: vec!["x".into()], model: "a".into(), ..request("long text") };
        let plan =
            Plan::new(&config, vec![request("one"), known, request("one"), edited.clone()], &cache).unwrap();
        assert_eq!((plan.calls, plan.cached, plan.repeated, plan.requests()), (2, 1, 1, 4));
        let sizes = [request("one").body().len() as u64, edited.body().len() as u64];
        assert_eq!((plan.bytes, plan.largest), (sizes[0] + sizes[1], sizes[1]));
        assert_eq!(plan.bodies().collect::<Vec<_>>(), [request("one").body(), edited.body()]);
        assert_eq!(plan.hosts, ["api.anthropic.com:443"]);
        assert_eq!(plan.proxy.as_deref(), Some("proxy.example:3128"));
        assert_eq!(plan.models, ["a", "m"]);
        assert_eq!(plan.betas, ["token-counting-2024-11-01", "x"]);
        assert!(plan.encrypted && !plan.has_key);
    }

    #[test]
    fn a_plan_without_calls_names_no_host() {
        let plan = Plan::new(&Config::default(), Vec::new(), &Cache::in_memory()).unwrap();
        assert_eq!((plan.calls, plan.bytes, plan.hosts.len()), (0, 0, 0));
    }

    #[test]
    fn a_plan_for_an_open_line_is_refused() {
        let config = Config { base_url: "http://192.0.2.1".into(), ..Config::default() };
        assert!(matches!(
            Plan::new(&config, Vec::new(), &Cache::in_memory()),
            Err(BadConfig::NotSecure { .. })
        ));
    }
}

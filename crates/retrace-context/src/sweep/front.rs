//! The Pareto set.

use super::Figures;

/// Marks the points that are beaten by none: no other is as good in peak, price and regrets and better in one. Points
/// that are equal in all three are all in it. A point without a price is compared with others without a price alone.
///
/// Sorted by peak, a point needs to be held only against the best so far; the cost is that of the sorting, and of the number of
/// points times that of the distinct regret counts among the best.
#[must_use]
pub fn pareto(points: &[Figures]) -> Vec<bool> {
    let mut best = vec![false; points.len()];
    for priced in [true, false] {
        let mut order: Vec<usize> =
            (0..points.len()).filter(|&index| points[index].cost_usd.is_some() == priced).collect();
        order.sort_by(|&a, &b| compare(&points[a], &points[b]));
        // By regrets: the least price of the points before.
        let mut least: Vec<(u64, f64)> = Vec::new();
        let mut at = 0;
        while at < order.len() {
            let first = points[order[at]];
            let equal =
                order[at..].iter().take_while(|&&index| compare(&points[index], &first).is_eq()).count();
            let price = first.cost_usd.unwrap_or_default();
            let beaten = least.iter().any(|&(regrets, cost)| regrets <= first.regrets && cost <= price);
            if !beaten {
                order[at..at + equal].iter().for_each(|&index| best[index] = true);
                least.retain(|&(regrets, cost)| regrets < first.regrets || cost < price);
                least.push((first.regrets, price));
            }
            at += equal;
        }
    }
    best
}

fn compare(a: &Figures, b: &Figures) -> std::cmp::Ordering {
    let price = |figures: &Figures| figures.cost_usd.unwrap_or_default();
    a.peak.cmp(&b.peak).then(price(a).total_cmp(&price(b))).then(a.regrets.cmp(&b.regrets))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn beats(a: &Figures, b: &Figures) -> bool {
        let price = |figures: &Figures| figures.cost_usd.unwrap_or_default();
        a.cost_usd.is_some() == b.cost_usd.is_some()
            && a.peak <= b.peak
            && price(a) <= price(b)
            && a.regrets <= b.regrets
            && (a.peak < b.peak || price(a) < price(b) || a.regrets < b.regrets)
    }

    proptest! {
        #[test]
        fn nothing_beats_what_is_in_it_and_something_beats_what_is_not(
            points in proptest::collection::vec((0..8_u64, proptest::option::of(0..8_u8), 0..8_u64), 0..60),
        ) {
            let points: Vec<Figures> = points
                .into_iter()
                .map(|(peak, cost, regrets)| Figures {
                    peak,
                    cost_usd: cost.map(f64::from),
                    regrets,
                    ..Figures::default()
                })
                .collect();
            for (point, best) in points.iter().zip(pareto(&points)) {
                prop_assert_eq!(best, !points.iter().any(|other| beats(other, point)));
            }
        }
    }
}

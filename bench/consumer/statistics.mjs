export const percentile = (numbers, share) =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))];

export const median = (numbers) => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle) - 1]) / 2;
};

export const rounded = (number, digits = 2) => Math.round(number * 10 ** digits) / 10 ** digits;

/** Where the median lies with 95 % of certainty, by drawing from the sample again and again. */
export function medianInterval(numbers, draws = 2_000) {
  const medians = Array.from({ length: draws }, () =>
    median(numbers.map(() => numbers[Math.floor(Math.random() * numbers.length)])),
  );
  return [percentile(medians, 0.025), percentile(medians, 0.975)];
}

/** Median and interval, for the table and the JSON. */
export function summary(numbers, digits = 2) {
  const [low, high] = medianInterval(numbers);
  return { median: rounded(median(numbers), digits), interval: [rounded(low, digits), rounded(high, digits)] };
}

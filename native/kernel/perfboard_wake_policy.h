/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The adaptive trigger level. tests/support/wake_policy.py has the same policy, what
 * it guarantees, and why; tests/native/kernel/test_wake_policy.py holds the two against each other.
 *
 * A wake at level L leaves buffers - 1 - L periods until a buffer is due that is not filled: its
 * margin. A wake needed some of it: the time from the release to each buffer's end of filling,
 * less a period for each buffer filled before. A level whose margin would have been too short by
 * what was needed and an eighth more is not used for a hold time. Levels rise one by one.
 */
#ifndef PERFBOARD_WAKE_POLICY_H
#define PERFBOARD_WAKE_POLICY_H

#define WAKE_MOST_BUFFERS 64
/* ns: powers of two near 34 s and 2.1 s. */
#define WAKE_HOLD (1ULL << 35)
#define WAKE_RISE (1ULL << 31)

struct wake_policy {
	u64 until[WAKE_MOST_BUFFERS]; /* by level: when it may be used again */
	u64 raised;
	u32 period;
	u32 buffers;
	u32 level;
};

static inline void wake_policy_begin(struct wake_policy *policy, u32 buffers, u32 period, u64 now)
{
	u32 level;

	policy->buffers = buffers;
	policy->period = period;
	policy->level = 0;
	policy->raised = now;
	for (level = 0; level < WAKE_MOST_BUFFERS; level++)
		policy->until[level] = now + level * WAKE_RISE;
}

/* A buffer was filled at `now`, by when `needed` ns of its wake's margin had gone. */
static inline void wake_policy_note(struct wake_policy *policy, u64 now, u64 needed)
{
	u32 level;

	needed += needed >> 3;
	for (level = policy->buffers - 2; level; level--) {
		if ((u64)(policy->buffers - 1 - level) * policy->period >= needed)
			break;
		policy->until[level] = now + WAKE_HOLD;
	}
}

/* The level to use from `now` on. */
static inline u32 wake_policy_choose(struct wake_policy *policy, u64 now)
{
	u32 most = 0;

	while (most + 2 < policy->buffers && policy->until[most + 1] <= now)
		most++;
	if (most < policy->level) {
		policy->level = most;
		policy->raised = now;
	} else if (most > policy->level && now - policy->raised >= WAKE_RISE) {
		policy->level++;
		policy->raised = now;
	}
	return policy->level;
}

#endif

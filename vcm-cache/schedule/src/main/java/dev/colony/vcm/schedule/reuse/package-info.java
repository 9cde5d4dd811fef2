/**
 * Which blocks of calls without a session are the next to be evicted: those whose next use is the
 * least likely for the time that they take room until then, by what was seen of how conversations
 * go on.
 *
 * <p>Plain Java: no I/O, no threads, no clock.
 *
 * <p>Source: Kaplan and Meier, "Nonparametric Estimation from Incomplete Observations", JASA 53,
 * 1958 (times to the next turn, of which many are only known to be longer); Beckmann and Sanchez,
 * "Maximizing Cache Performance Under Uncertainty", HPCA 2017 (hits for each unit of space and
 * time).
 */
package dev.colony.vcm.schedule.reuse;

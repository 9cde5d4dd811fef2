/**
 * Which placement unit a group of pages goes to, and which node a unit goes to. Pure functions of a
 * page table's snapshot and the cluster's view; no clock, no randomness but seeded.
 *
 * <p>Filter, scorer and picker as in llm-d's router; placing work where its KV cache is follows
 * "Preble" (Srivatsa et al., 2024), bounded load follows Mirrokni, Thorup and Zadimoghaddam,
 * "Consistent Hashing with Bounded Loads" (2018).
 */
package dev.colony.vcm.placement;

/**
 * Holds agents back by their working sets: an agent's model calls go to the replica at which the
 * blocks of its latest prompt are claimed, and an agent whose blocks fit nowhere waits until others
 * have ended, or until paging one of them out costs less than it brings. {@link
 * dev.colony.vcm.schedule.workingset.WorkingSetScheduler} is a state machine over {@link
 * dev.colony.vcm.schedule.ClusterState}.
 *
 * <p>Plain Java: no I/O, no threads, no clock. Equal events give equal orders.
 *
 * <p>Sources: Denning, "The Working Set Model for Program Behavior", CACM 11(5), 1968 (admit a
 * program only where its working set fits); Kwon et al., "Efficient Memory Management for Large
 * Language Model Serving with PagedAttention", SOSP 2023 (chained blocks, eviction of the least
 * recently released).
 */
package dev.colony.vcm.schedule.workingset;

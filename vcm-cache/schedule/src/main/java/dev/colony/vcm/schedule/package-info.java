/**
 * Which replica a prompt goes to, decided in seconds: what waits there, what the prompt takes to
 * compute behind the blocks that the replica's cache holds, and what those who come after pay for
 * it. {@link dev.colony.vcm.schedule.ClusterState} keeps what is known of the replicas, {@link
 * dev.colony.vcm.schedule.CostRouter} decides over a snapshot of it.
 *
 * <p>Plain Java: no I/O, no threads, no clock. Times are seconds of any clock that never goes back,
 * handed in by the caller. Nothing here is thread-safe: the caller has one thread, or a lock.
 *
 * <p>Sources: Qin et al., "Mooncake: Trading More Storage for Less Computation", FAST 2025 (queue
 * and prefill time of an instance as the cost of a route); Kwon et al., "Efficient Memory
 * Management for Large Language Model Serving with PagedAttention", SOSP 2023 (blocks and their
 * chained prefixes); filters, scorers and a picker as in the endpoint picker of llm-d.
 */
package dev.colony.vcm.schedule;

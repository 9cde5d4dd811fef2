/**
 * Capacity for agents on nodes: what a node has of it, who is given the next slot, and what becomes
 * of an agent for which there is none. Pure decisions over what they are told; the clock is handed
 * in.
 *
 * <p>Sources: the cascade is the seed's. Fairness between tenants is dominant resource fairness
 * (Ghodsi et al., NSDI 2011); aging is Multics' and UNIX's remedy against starvation, here with a
 * fixed head start per point of priority, so that the order of those who wait never changes.
 */
package dev.colony.core.capacity;

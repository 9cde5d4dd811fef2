/**
 * Where a call goes: replicas, what is known of the pages in their caches, and the choice between
 * them as a pure function of a snapshot.
 */
package dev.colony.inference.routing;

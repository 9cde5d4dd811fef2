/** Parents and children among agents: spawning, waiting, stopping, the tree. */
package dev.colony.client.child;

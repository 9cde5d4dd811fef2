/** Tests of the lease that decides which side of a cut goes on. */
package dev.colony.server.lease;

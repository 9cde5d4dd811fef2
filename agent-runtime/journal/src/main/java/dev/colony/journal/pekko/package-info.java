/** The journal and the snapshot store as plugins of Pekko Persistence. */
package dev.colony.journal.pekko;

/** What {@code colony bench} measures, each figure beside a ceiling or a peer of the same run. */
package dev.colony.bench;

/** What the inference gateway costs beside asking the same replica directly. */
package dev.colony.bench.gateway;

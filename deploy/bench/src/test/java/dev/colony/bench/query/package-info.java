/** Tests of what is measured of questions over a page graph. */
package dev.colony.bench.query;

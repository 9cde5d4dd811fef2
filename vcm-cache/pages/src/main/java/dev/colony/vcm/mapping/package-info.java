/**
 * Cuts files into pages and gathers pages into groups, related files together. Everything but
 * {@link dev.colony.vcm.mapping.PageMapper}, which reads a source, is a pure function.
 *
 * <p>Files are put into one order in which related files are neighbours, and that order is cut
 * where the tie between neighbours is weakest. A change to one file therefore moves the cuts near
 * it at most, as in content-defined chunking (Muthitacharoen et al., "A Low-bandwidth Network File
 * System", SOSP 2001).
 */
package dev.colony.vcm.mapping;

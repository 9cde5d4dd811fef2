/**
 * How many pages a question is put to while a page graph settles. Depends on the pages of the VCM
 * only: no node, no model.
 */
package dev.colony.bench.query;

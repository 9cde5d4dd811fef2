/**
 * The texts of documents for the sources of pages. Optional: {@code vcm-cache} finds it where it is
 * on the class path. PDF through Apache PDFBox, office documents through Apache POI, HTML through
 * jsoup, mail through Apache James Mime4j.
 */
package dev.colony.vcm.documents;

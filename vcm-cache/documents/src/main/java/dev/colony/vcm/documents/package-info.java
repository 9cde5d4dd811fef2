/**
 * PDF and office documents as sources of pages. Optional: {@code vcm-cache} knows nothing of it,
 * and finds it where it is on the class path. PDF through Apache PDFBox, office documents through
 * Apache POI.
 */
package dev.colony.vcm.documents;

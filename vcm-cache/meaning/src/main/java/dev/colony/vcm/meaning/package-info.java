/**
 * What a search finds, ordered by what it means: sentence embeddings (Reimers and Gurevych,
 * "Sentence-BERT", 2019) of a small model in the process. May depend on pages and LangChain4j.
 */
package dev.colony.vcm.meaning;

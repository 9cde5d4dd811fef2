/** Models that LangChain4j asks, behind the port of the inference gateway. */
package dev.colony.langchain4j;

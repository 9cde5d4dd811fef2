/**
 * OpenAI's chat completions and responses as a node serves them: requests brought to the gateway's
 * port, and replies and failures to OpenAI's forms. Knows no HTTP server; the package {@code http}
 * serves it. Source: OpenAI's API reference, <a
 * href="https://platform.openai.com/docs/api-reference">platform.openai.com</a>.
 */
package dev.colony.server.openai;

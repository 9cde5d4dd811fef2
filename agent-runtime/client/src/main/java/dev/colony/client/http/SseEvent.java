package dev.colony.client.http;

/**
 * One event of a stream of server-sent events.
 *
 * @param id the last that the stream has given; empty for none
 * @param name its type
 */
record SseEvent(String id, String name, String data) {}

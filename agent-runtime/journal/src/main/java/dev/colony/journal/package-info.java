/**
 * The journal and the snapshot store of event-sourced actors, on Redis through Lettuce, as Pekko
 * Persistence plugins; and the index of persistence ids with work outstanding. Depends on the
 * blackboard's {@code redis} package and on nothing else of ours.
 *
 * <p><b>Keys.</b> A persistence id belongs to slot {@code CRC-32(id) mod slots}; all keys of a slot
 * share the hash tag <code>{j-SLOT}</code>, so that one script touches them on Redis Cluster too.
 *
 * <table>
 * <caption>What stands where</caption>
 * <tr><td><code>colony:{j-S}:e:ID</code></td><td>stream: entry {@code sequenceNr-0}, one field
 *     {@code f} with the frame</td></tr>
 * <tr><td><code>colony:{j-S}:m:ID</code></td><td>hash: {@code last}, {@code deleted}, {@code
 *     writer}</td></tr>
 * <tr><td><code>colony:{j-S}:outstanding</code></td><td>set of persistence ids</td></tr>
 * <tr><td><code>colony:{j-S}:si:ID</code></td><td>sorted set: {@code sequenceNr:timestamp} by
 *     sequence number</td></tr>
 * <tr><td><code>colony:{j-S}:s:ID</code></td><td>hash: sequence number to frame</td></tr>
 * <tr><td>{@code colony:journal:layout}</td><td>layout version and number of slots</td></tr>
 * </table>
 *
 * <p><b>Frame</b>, big-endian; a text is its length in two bytes and its UTF-8 bytes:
 *
 * <pre>
 * byte version (1) | byte kind ('e' event, 'g' gap, 'o' outside) | int64 timestamp millis | text writer uuid
 *   event: int32 serializer | text manifest | text event adapter's manifest | payload to the end
 *   gap:   text why the event was rejected (an exception's class)
 *   outside: int32 length | text SHA-256 of the payload that holds the frame
 * </pre>
 *
 * <p><b>Rules.</b> An append continues at last + 1 or is refused ({@link
 * dev.colony.journal.JournalException.FencedException}); this alone is the fence between
 * incarnations, as a conditional write is in any log with a single writer. What is stored already,
 * byte for byte, may be sent again: that is success, so a repeat after a reconnect does no harm. A
 * rejected event leaves a gap marker, which replay skips. A sequence number that is neither stored,
 * marked nor deleted is damage ({@link dev.colony.journal.JournalException.DamagedLogException}),
 * and so is a log that ends before its snapshot, or whose stream and meta hash disagree. Metadata
 * of replicated event sourcing is not kept: such events are rejected. Tags other than the two of
 * {@link dev.colony.journal.OutstandingIndex} are ignored.
 */
package dev.colony.journal;

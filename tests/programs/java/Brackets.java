package example;

import java.io.IOException;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

public class Brackets extends FileOutputFormat<NullWritable, Text> {
  @Override
  public RecordWriter<NullWritable, Text> getRecordWriter(TaskAttemptContext context) throws IOException {
    Path path = getDefaultWorkFile(context, ".brackets");
    FSDataOutputStream file = path.getFileSystem(context.getConfiguration()).create(path, false);
    return new RecordWriter<NullWritable, Text>() {
      private String last = "";

      @Override
      public void write(NullWritable key, Text value) throws IOException {
        last = value.toString();
        if (last.startsWith("full")) {
          throw new IOException("no more room for " + last);
        }
        file.write(("[" + value + "]\n").getBytes("UTF-8"));
      }

      @Override
      public void close(TaskAttemptContext context) throws IOException {
        file.close();
        if (last.startsWith("late")) {
          throw new IOException("no more room for " + last);
        }
      }
    };
  }
}

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
      @Override
      public void write(NullWritable key, Text value) throws IOException {
        if (value.toString().startsWith("full")) {
          throw new IOException("no more room for " + value);
        }
        file.write(("[" + value + "]\n").getBytes("UTF-8"));
      }

      @Override
      public void close(TaskAttemptContext context) throws IOException {
        file.close();
      }
    };
  }
}
